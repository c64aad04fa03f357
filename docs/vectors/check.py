#!/usr/bin/env python3
"""Recomputes every vector in this folder with nothing but Python's own json, hashlib, hmac and uuid.

It shares no code with libs/canonical. Exits with 1 and a line for each difference.
Usage: python3 docs/vectors/check.py
"""
import base64
import hashlib
import hmac
import json
import pathlib
import re
import sys
import uuid
from fractions import Fraction

HERE = pathlib.Path(__file__).parent


class Refused(Exception):
    """Arguments that have no exact canonical form."""


# --- RFC 8785 -------------------------------------------------------------------------------------------------------

def number_text(value):
    """A double as ECMAScript writes it, from the shortest digits, which Python's repr finds."""
    if value == 0:
        return '0'
    sign = '-' if value < 0 else ''
    mantissa, _, exponent = repr(abs(float(value))).partition('e')
    whole, _, fraction = mantissa.partition('.')
    fraction = '' if fraction == '0' else fraction
    digits = (whole + fraction).lstrip('0')
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip('0')
    count = len(digits)
    if count <= point <= 21:
        return sign + digits + '0' * (point - count)
    if 0 < point <= 21:
        return sign + digits[:point] + '.' + digits[point:]
    if -6 < point <= 0:
        return sign + '0.' + '0' * -point + digits
    power = point - 1
    tail = ('e+' if power > 0 else 'e-') + str(abs(power))
    return sign + digits[0] + ('.' + digits[1:] if count > 1 else '') + tail


SHORT = {'"': '\\"', '\\': '\\\\', '\b': '\\b', '\f': '\\f', '\n': '\\n', '\r': '\\r', '\t': '\\t'}


def string_text(value):
    return '"' + ''.join(SHORT.get(c) or ('\\u%04x' % ord(c) if c < ' ' else c) for c in value) + '"'


def utf16_order(key):
    return key.encode('utf-16-be', 'surrogatepass')


def canonical(value):
    if value is None or isinstance(value, bool):
        return {None: 'null', True: 'true', False: 'false'}[value]
    if isinstance(value, (int, float)):
        return number_text(value)
    if isinstance(value, str):
        return string_text(value)
    if isinstance(value, list):
        return '[' + ','.join(map(canonical, value)) + ']'
    return '{' + ','.join(string_text(k) + ':' + canonical(value[k]) for k in sorted(value, key=utf16_order)) + '}'


# --- admission ------------------------------------------------------------------------------------------------------

def exact_number(literal):
    """The double of a literal, or Refused. Exact arithmetic decides, not the double itself."""
    mantissa, _, exponent = literal.lower().partition('e')
    whole, _, fraction = mantissa.lstrip('-').partition('.')
    digits = (whole + fraction).strip('0')
    if not digits:
        return float(literal)
    if abs(int(exponent or 0)) > 10000 + len(literal):
        raise Refused('arguments_number_out_of_range')
    value = Fraction(int(whole + fraction)) * Fraction(10) ** (int(exponent or 0) - len(fraction))
    double = abs(float(literal))
    if double == 0 or double == float('inf'):
        raise Refused('arguments_number_out_of_range')
    if value.denominator == 1 and value != Fraction(double):
        shortest = repr(double)
        if not exponent or Fraction(shortest) != value:
            raise Refused('arguments_integer_not_exact')
    return float(literal)


def without_duplicates(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise Refused('arguments_duplicate_key')
    return dict(pairs)


def not_json(_):
    raise Refused('arguments_not_json')


def depth_of(value):
    if isinstance(value, list):
        return 1 + max(map(depth_of, value), default=0)
    if isinstance(value, dict):
        return 1 + max(map(depth_of, value.values()), default=0)
    return 0


def has_lone_surrogate(value):
    if isinstance(value, str):
        joined = value.encode('utf-16-be', 'surrogatepass')
        try:
            joined.decode('utf-16-be')
            return False
        except UnicodeDecodeError:
            return True
    if isinstance(value, list):
        return any(map(has_lone_surrogate, value))
    if isinstance(value, dict):
        return any(map(has_lone_surrogate, value)) or any(map(has_lone_surrogate, value.values()))
    return False


def admit(text):
    try:
        value = json.loads(text, object_pairs_hook=without_duplicates, parse_int=exact_number, parse_float=exact_number, parse_constant=not_json)
    except ValueError:
        raise Refused('arguments_not_json') from None
    if depth_of(value) > 256:
        raise Refused('arguments_too_deep')
    if has_lone_surrogate(value):
        raise Refused('arguments_lone_surrogate')
    return canonical(value)


# --- hashes ---------------------------------------------------------------------------------------------------------

def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b'=').decode()


def utf8(text):
    return text.encode('utf-8', 'surrogatepass')


def sha256(text):
    return hashlib.sha256(utf8(text))


def keyed(key, tag, text):
    mac = hmac.new(bytes.fromhex(key['secretHex']), tag.encode() + b'\0' + utf8(text), hashlib.sha256)
    return key['id'] + ':' + b64(mac.digest())


def text_of(vector, name='text'):
    if name + 'Hex' in vector:
        return bytes.fromhex(vector[name + 'Hex']).decode('utf-8', 'surrogatepass')
    return vector[name]


def escape_surrogates(quoted):
    return re.sub('[\ud800-\udfff]', lambda m: '\\u%04x' % ord(m.group()), quoted)


def operation_text(v, _):
    i = v['input']
    head = [i['workspaceId'], i['userId'], i['sessionId'], i['tool']['source'], i['tool']['name']]
    return canonical(head + [json.loads(i['arguments'], parse_int=float)])


def request_text(v, _):
    i = v['input']
    if 'arguments' in i:
        arguments = {'canonical': json.loads(i['arguments'], parse_int=float)}
    else:
        arguments = {'raw': escape_surrogates(string_text(text_of(i, 'rawArguments')))}
    declared = None if i['declared'] is None else json.loads(i['declared'], parse_int=float)
    return canonical([i['callIdSource'], i['tool']['source'], i['tool']['name'], declared, arguments,
                      i['taskId'], i['requireApproval'], i['approvalExpiresSeconds']])


def event_text(v, _):
    event = json.loads(json.dumps(v['event']))
    event['metadata']['integrity'].pop('hash', None)
    return canonical({k: event[k] for k in ('data', 'id', 'metadata', 'revision', 'stream', 'type', 'version')})


def receipt_text(v, _):
    i = v['input']
    return canonical([i['workspaceId'], i['sessionId'], i['turn'], i['callId']])


def history_expected(v, keys):
    if v['coordinates'] is not None:
        return 'c' + b64(sha256(canonical(v['coordinates'])).digest()[:20])
    message = b'record\0' + utf8(text_of(v, 'content'))
    return 'x' + b64(hmac.new(bytes.fromhex(keys['importKeyHex']), message, hashlib.sha256).digest()[:20])


# Of each kind: the text that is hashed (None if the vector shows none), and what comes of it.
KINDS = {
    'operationId': (operation_text, lambda t, v, k: keyed(k['fingerprint'], 'operation', t)),
    'requestFingerprint': (request_text, lambda t, v, k: keyed(k['fingerprint'], 'request', t)),
    'payloadDigest': (None, lambda t, v, k: keyed(k['fingerprint'], 'payload', text_of(v))),
    'fileDigest': (None, lambda t, v, k: keyed(k['fingerprint'], 'file', v['sha256'])),
    'keyed': (None, lambda t, v, k: keyed(k['fingerprint'], v['tag'], text_of(v))),
    'receiptId': (receipt_text, lambda t, v, k: 'rcp_' + b64(sha256(t).digest()[:16])),
    'importedReceiptId': (lambda v, k: canonical([v['recordKey']]), lambda t, v, k: 'rcp_' + b64(sha256(t).digest()[:16])),
    'apiKeySecretHash': (None, lambda t, v, k: sha256(v['secret']).hexdigest()),
    'eventHash': (event_text, lambda t, v, k: sha256(t).hexdigest()),
    'historyRecordKey': (None, lambda t, v, k: history_expected(v, k)),
    'uuidV5': (None, lambda t, v, k: str(uuid.uuid5(uuid.UUID(v['namespace']), v['text']))),
}


def recompute(kind, vector, keys):
    make_text, make_hash = KINDS[kind]
    text = make_text(vector, keys) if make_text else None
    return text, make_hash(text, vector, keys)


def admission_of(vector):
    try:
        return {'ok': True, 'canonical': admit(text_of(vector))}
    except Refused as refused:
        return {'ok': False, 'code': str(refused)}


def main():
    read = lambda name: json.loads((HERE / name).read_text(encoding='utf-8'))
    wrong, total = [], 0

    def compare(where, expected, found):
        nonlocal total
        total += 1
        if expected != found:
            wrong.append(f'{where}: expected {expected!r}, found {found!r}')

    for v in read('canonical.json')['vectors']:
        text = canonical(json.loads(v['json'], parse_int=float))
        compare(f'canonical/{v["name"]}', [v['canonical'], v['sha256']], [text, sha256(text).hexdigest()])
    for v in read('admission.json')['vectors']:
        compare(f'admission/{v["name"]}', {k: v[k] for k in ('ok', 'canonical', 'code') if k in v}, admission_of(v))
    hashes = read('hashes.json')
    for kind in KINDS:
        for v in hashes[kind]:
            compare(f'{kind}/{v["name"]}', (v.get('hashed'), v['expected']), recompute(kind, v, hashes['keys']))
    print('\n'.join(wrong) if wrong else f'{total} vectors agree')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
