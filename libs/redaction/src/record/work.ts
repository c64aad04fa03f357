import type { Anomaly, Payload } from '@counterfoil/contracts';
import { bound } from '../bound/bound.js';
import { escapedBytes } from '../bound/size.js';
import { cutMark } from '../marks.js';
import type { RedactionInput } from './input.js';
import { MOST_REDACTIONS, Report } from './assemble.js';

/** One input on its way through the door. */
export class Work {
  /** The JSON text so far; null before the first round. */
  json: string | null = null;
  anomalies: readonly Anomaly[] = [];
  isCut = false;
  readonly report = new Report();
  /** UTF-8 bytes of the text as it came; a lone surrogate counts as three. */
  readonly bytes: number;

  readonly input: RedactionInput;

  constructor(
    whole: RedactionInput,
    readonly limit: number,
    window: number,
  ) {
    this.bytes = Buffer.byteLength(whole.text);
    this.isCut = whole.text.length > window;
    this.input = this.isCut ? { ...whole, kind: 'text', text: beginning(whole.text, window) } : whole;
  }

  /** Cuts the JSON to its limit. Whether there was anything to cut. */
  cut(): boolean {
    const json = this.json ?? 'null';
    this.json = bound(json, this.limit, this.bytes);
    if (this.json === json) return false;
    this.isCut = true;
    return true;
  }

  /** Leaves only the mark of the cut, if the JSON is still over its limit. */
  cutToMark(): void {
    if (escapedBytes(this.json ?? '') > this.limit) this.json = `"${cutMark(this.bytes)}"`;
  }

  payload(digest: string): Payload {
    const json = this.json ?? 'null';
    const { redactions, omitted } = this.report;
    return {
      json,
      bytes: this.bytes,
      storedBytes: Buffer.byteLength(json),
      state: this.isCut ? 'cut' : 'whole',
      digest,
      redactions: redactions.slice(0, MOST_REDACTIONS),
      ...(omitted > 0 ? { redactionsOmitted: omitted } : {}),
      anomalies: [...this.anomalies],
    };
  }
}

/** The first so many units, but no half of a surrogate pair. */
function beginning(text: string, units: number): string {
  const last = text.charCodeAt(units - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? units - 1 : units);
}
