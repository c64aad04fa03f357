import { scanJson } from '../scan/scan.js';
import { unescapeString } from '../scan/unescape.js';
import type { AnomalyKind, JsonVisitor } from '../scan/visitor.js';
import { JsonSyntaxError } from '../scan/visitor.js';
import type { Spans } from '../utf8.js';
import { decodeUtf8Compact } from '../utf8.js';
import type { BodyErrorCode } from './body-error.js';
import { BodyError } from './body-error.js';
import type { RawPath } from './raw-paths.js';
import { rawPaths } from './raw-paths.js';
import { RawJson } from './raw-json.js';

type Members = Record<string, unknown>;

interface Frame {
  readonly container: Members | unknown[];
  readonly path: RawPath | undefined;
  /** The key whose value comes next, in an object. */
  key: string | undefined;
}

const NO_JSON: ReadonlySet<AnomalyKind> = new Set(['control_character', 'not_a_number', 'infinity', 'not_json']);
const NOWHERE = -1;

/** Builds the tree of a body while it is scanned. */
class BodyBuilder implements JsonVisitor {
  root: unknown;
  private readonly frames: Frame[] = [];
  // The raw member that is being passed, and how many of its containers are open.
  private rawStart = NOWHERE;
  private rawDepth = 0;
  private rawAnomalies = new Set<AnomalyKind>();
  // How many entries of `invalid` lie before the end of the last raw member.
  private invalidSeen = 0;
  private values = 0;

  constructor(
    private readonly text: string,
    private readonly invalid: Spans,
    private readonly rawPath: RawPath,
    private readonly maxDepth: number,
    private readonly maxValues: number,
  ) {}

  startObject(at: number): void {
    // No prototype: `__proto__` is then a property like any other.
    this.start(at, () => Object.create(null) as Members);
  }

  startArray(at: number): void {
    this.start(at, () => []);
  }

  endObject(end: number): void {
    this.end(end);
  }

  endArray(end: number): void {
    this.end(end);
  }

  key(start: number, end: number): void {
    const frame = this.frames.at(-1);
    if (this.rawDepth === 0 && frame !== undefined) frame.key = unescapeString(this.text, start, end);
  }

  string(start: number, end: number): void {
    this.scalar(start, end, () => unescapeString(this.text, start, end));
  }

  number(start: number, end: number): void {
    this.scalar(start, end, () => Number(this.text.slice(start, end)));
  }

  literal(start: number, end: number): void {
    this.scalar(start, end, () => JSON.parse(this.text.slice(start, end)) as unknown);
  }

  anomaly(kind: AnomalyKind, start: number): void {
    if (this.rawDepth > 0 || this.next()?.raw === true) {
      this.rawAnomalies.add(kind);
    } else if (kind !== 'nul') {
      const code = NO_JSON.has(kind) ? 'malformed_json' : 'body_anomaly';
      throw this.failure(code, `${kind.replace('_', ' ')} at offset ${start}`, start, kind);
    }
  }

  /** Bytes that were no UTF-8 are told before what their replacement looks like. */
  failure(code: BodyErrorCode, detail: string, position: number, anomaly?: AnomalyKind): BodyError {
    const limit = this.rawDepth > 0 ? this.rawStart : position + 1;
    return this.invalidBefore(limit) ?? new BodyError(code, detail, position, anomaly);
  }

  finish(): unknown {
    const error = this.invalidBefore(Infinity);
    if (error !== undefined) throw error;
    return this.root;
  }

  private start(at: number, create: () => Members | unknown[]): void {
    if (this.rawDepth > 0) {
      this.rawDepth++;
      return;
    }
    this.count(at);
    const path = this.next();
    if (path?.raw === true) {
      this.rawStart = at;
      this.rawDepth = 1;
      return;
    }
    this.frames.push({ container: create(), path, key: undefined });
    if (this.frames.length > this.maxDepth) throw this.failure('body_too_deep', `more than ${this.maxDepth} levels at offset ${at}`, at);
  }

  private end(end: number): void {
    if (this.rawDepth > 0) {
      this.rawDepth--;
      if (this.rawDepth === 0) this.place(this.takeRaw(this.rawStart, end));
      return;
    }
    this.place(this.frames.pop()?.container);
  }

  private scalar(start: number, end: number, value: () => unknown): void {
    if (this.rawDepth > 0) return;
    this.count(start);
    this.place(this.next()?.raw === true ? this.takeRaw(start, end) : value());
  }

  /** What is read into a tree costs many times as much as its text. */
  private count(at: number): void {
    if (++this.values > this.maxValues) throw this.failure('body_too_many_values', `more than ${this.maxValues} values`, at);
  }

  /** What the paths say about the value that comes next. */
  private next(): RawPath | undefined {
    const frame = this.frames.at(-1);
    if (frame === undefined) return this.rawPath;
    if (Array.isArray(frame.container)) return frame.path?.each;
    return frame.key === undefined ? undefined : frame.path?.members.get(frame.key);
  }

  private place(value: unknown): void {
    const frame = this.frames.at(-1);
    if (frame === undefined) {
      this.root = value;
    } else if (Array.isArray(frame.container)) {
      frame.container.push(value);
    } else if (frame.key !== undefined) {
      frame.container[frame.key] = value;
      frame.key = undefined;
    }
  }

  private takeRaw(start: number, end: number): RawJson {
    const error = this.invalidBefore(start);
    if (error !== undefined) throw error;
    const anomalies = this.rawAnomalies;
    this.rawAnomalies = new Set();
    const seen = this.invalidSeen;
    while ((this.invalid[this.invalidSeen] ?? Infinity) < end) this.invalidSeen += 2;
    if (this.invalidSeen > seen) anomalies.add('invalid_utf8');
    return new RawJson(this.text.slice(start, end), [...anomalies]);
  }

  private invalidBefore(limit: number): BodyError | undefined {
    const at = this.invalid[this.invalidSeen] ?? Infinity;
    return at < limit ? new BodyError('invalid_utf8', `bytes that are not UTF-8 at offset ${at}`, at, 'invalid_utf8') : undefined;
  }
}

/**
 * Reads the body of a request (promise 5): a plain tree, of objects without a prototype whose own keys are exactly those of
 * the text. Members at the `raw` paths are kept as text: there any anomaly is allowed and listed, and nesting has no limit.
 *
 * @param bytes the body as it came, UTF-8
 * @param options.raw dotted paths from the top, as `rawPaths` takes them
 * @param options.maxDepth levels of nesting outside the raw members; the outermost container is level 1
 * @param options.maxValues values outside the raw members, each of which counts as one; any number where not given
 * @returns the tree, with `RawJson` at the raw paths
 * @throws BodyError if the body is not JSON, or has an anomaly other than `nul` or is too deep outside the raw members
 */
export function readBody(
  bytes: Uint8Array,
  options: { readonly raw: readonly string[]; readonly maxDepth: number; readonly maxValues?: number },
): unknown {
  const { text, spans } = decodeUtf8Compact(bytes);
  const builder = new BodyBuilder(text, spans, rawPaths(options.raw), options.maxDepth, options.maxValues ?? Infinity);
  try {
    scanJson(text, builder, { lenient: true });
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw builder.failure('malformed_json', error.message, error.position);
  }
  return builder.finish();
}
