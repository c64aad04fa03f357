import ajvFormats from 'ajv-formats';
import type { Format } from 'ajv';
import type { Meter } from './meter.js';

/** Longer texts fit no format, but for those that are about content. Each of the checks takes linear time up to here. */
const LONGEST = 64 * 1024;

const NAMES = [
  'date',
  'time',
  'date-time',
  'iso-time',
  'iso-date-time',
  'duration',
  'uri',
  'uri-reference',
  'uri-template',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
  'json-pointer',
  'json-pointer-uri-fragment',
  'relative-json-pointer',
] as const;
const NUMBERS = ['int32', 'int64', 'float', 'double'] as const;
/** Say what a text is for, and are not checked. */
const UNCHECKED = ['password', 'binary'] as const;

type Plugin = typeof ajvFormats.default;
// CommonJS: what is the default export for TypeScript is a member of it at run time, or the whole.
const plugin: Plugin = ajvFormats.default;

/** The formats that are checked. Any other name says nothing, as JSON Schema has it. */
export function formatsFor(meter: Meter): Readonly<Record<string, Format>> {
  const formats: Record<string, Format> = Object.create(null) as Record<string, Format>;
  for (const name of NAMES) formats[name] = bounded(checkOf(plugin.get(name)));
  // The package's own expression for it takes quadratic time.
  formats['url'] = formats['uri'] ?? true;
  for (const name of NUMBERS) formats[name] = plugin.get(name);
  for (const name of UNCHECKED) formats[name] = true;
  formats['byte'] = isBase64;
  formats['regex'] = (text) => text.length <= LONGEST && isExpression(text, meter);
  return formats;
}

const bounded =
  (check: (text: string) => boolean) =>
  (text: string): boolean =>
    text.length <= LONGEST && check(text);

function checkOf(format: Format): (text: string) => boolean {
  const check = typeof format === 'object' && !(format instanceof RegExp) ? format.validate : format;
  if (check instanceof RegExp) return (text) => check.test(text);
  if (typeof check === 'function') return (text) => (check as (text: string) => boolean)(text);
  throw new TypeError('a format that is no check');
}

function isBase64(text: string): boolean {
  if (text.length % 4 !== 0) return false;
  const end = text.endsWith('==') ? text.length - 2 : text.endsWith('=') ? text.length - 1 : text.length;
  for (let at = 0; at < end; at++) {
    const code = text.charCodeAt(at);
    const isLetter = (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
    if (!isLetter && !(code >= 0x30 && code <= 0x39) && code !== 0x2b && code !== 0x2f) return false;
  }
  return true;
}

/** An expression is parsed and never run; that is slower than looking at the text. */
function isExpression(text: string, meter: Meter): boolean {
  meter.spend(text.length * 8);
  try {
    new RegExp(text, 'u');
    return true;
  } catch {
    return false;
  }
}
