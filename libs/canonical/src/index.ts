export { scanJson } from './scan/scan.js';
export { JsonSyntaxError } from './scan/visitor.js';
export type { AnomalyKind, JsonVisitor, ScanOptions } from './scan/visitor.js';
export { numberAnomaly } from './scan/number.js';
export { unescapeString } from './scan/unescape.js';
export { pythonStrip } from './python-strip.js';
export { decodeUtf8, encodeUtf8, isWellFormed } from './utf8.js';
export type { DecodedText } from './utf8.js';

export { readBody } from './body/read-body.js';
export { RawJson } from './body/raw-json.js';
export { BodyError } from './body/body-error.js';
export type { BodyErrorCode } from './body/body-error.js';

export { MAX_ARGUMENT_DEPTH, MAX_ARGUMENT_UNITS, MAX_ARGUMENT_VALUES, admitArguments } from './admission.js';
export type { Admission, AdmissionCode } from './admission.js';
export { CanonicalError, canonicalize } from './form/canonicalize.js';
export { canonicalText } from './form/canonical-text.js';

export { HashInputError, sha256Bytes, sha256Hex } from './hashes/digest.js';
export { fileDigest, keyed, payloadDigest } from './hashes/keyed.js';
export type { FingerprintKey, KeyedTag } from './hashes/keyed.js';
export { operationId, requestFingerprint } from './hashes/operation.js';
export type { OperationParts, RequestParts, ToolName } from './hashes/operation.js';
export { approvalId, importedReceiptId, parseApprovalId, receiptId } from './hashes/ids.js';
export type { CallCoordinates } from './hashes/ids.js';
export { apiKeySecretHash, newApiKey, parseApiKey } from './hashes/api-key.js';
export { eventHash, eventHashFromText, hashedMetadataText } from './hashes/event-hash.js';
export type { HashedEvent, HashedEventText } from './hashes/event-hash.js';
export { historyRecordKey } from './hashes/history.js';
export { uuidV5, uuidV7 } from './hashes/uuid.js';
export { secureRandom } from './hashes/random.js';
export type { RandomSource } from './hashes/random.js';

/** Any JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };
