import type { Budget, Matcher } from '../known/matcher.js';
import { settledSpans } from '../splice/spans.js';
import { findAwsSecrets } from '../text/aws.js';
import { findInText } from '../text/find.js';
import { findKeyRest } from '../text/pem.js';
import type { Finding, RuleSet } from '../text/rule.js';

/** What the record is known to hold, so that its other half is looked for. */
export interface RecordContext {
  /** A private key without its END line. */
  readonly hasOpenKey: boolean;
  /** A key id of AWS. */
  readonly hasAwsKeyId: boolean;
}

const NOTHING: readonly Finding[] = [];
const MOST_KEYS = 10_000;
/** Shorter texts hold nothing that a rule or a known value could find. */
export const SHORTEST = 6;

/** The search of one input, in JSON in its strings too: by pattern, by known value, and by what the record holds elsewhere. */
export class Search {
  hasOpenKey = false;
  hasAwsKeyId = false;
  // The same few keys come again and again.
  private readonly keys = new Map<string, readonly Finding[]>();

  constructor(
    readonly rules: RuleSet,
    private readonly context: RecordContext,
    private readonly matcher: Matcher | null,
    private readonly budget: Budget,
  ) {}

  get looksForKnown(): boolean {
    return this.matcher !== null;
  }

  inText(text: string): readonly Finding[] {
    const { findings, openKey, awsKeyId } = findInText(text, this.rules);
    if (openKey) this.hasOpenKey = true;
    if (awsKeyId) this.hasAwsKeyId = true;
    if (!this.context.hasAwsKeyId && !this.context.hasOpenKey) return this.withKnown(text, findings);
    return this.withKnown(text, [...findings, ...this.byContext(text, findings)]);
  }

  inKey(text: string): readonly Finding[] {
    const known = this.keys.get(text);
    if (known !== undefined) return known;
    const found = this.inText(text);
    if (this.keys.size < MOST_KEYS) this.keys.set(text, found);
    return found;
  }

  inNumber(literal: string): readonly Finding[] {
    return this.withKnown(literal, NOTHING);
  }

  private byContext(text: string, findings: readonly Finding[]): Finding[] {
    const found: Finding[] = this.context.hasAwsKeyId ? findAwsSecrets(text) : [];
    const rest = this.context.hasOpenKey && findings.length === 0 ? findKeyRest(text) : null;
    if (rest !== null) found.push(rest);
    return found;
  }

  private withKnown(text: string, findings: readonly Finding[]): readonly Finding[] {
    if (this.matcher === null) return findings;
    const known = this.matcher.find(text, settledSpans(text, findings), this.budget);
    return known.length === 0 ? findings : [...findings, ...known];
  }
}
