import { RE2JS, RE2JSException } from 're2js';

/** A longer pattern is refused: it costs as much to read as it has characters, before anything is looked at. */
export const LONGEST_PATTERN = 2000;
/** So many instructions of a pattern cost as much per character as one look at a value. */
const INSTRUCTIONS_PER_LOOK = 8;

/** Is told of work before it is done; it may put an end to it by throwing. */
export interface WorkMeter {
  spend(work: number): void;
}

/** A pattern that can't be used, and why: in words of ours, since the engine quotes the pattern. */
export class PatternError extends Error {
  constructor(readonly reason: string) {
    super(reason);
    this.name = 'PatternError';
  }
}

/**
 * A pattern that is matched in linear time, whatever the pattern and the text. The platform's own expressions go back and try again:
 * `\S+@\S+` alone takes hours on four million letters, and what an agent sends as arguments would decide that. RE2's syntax has no
 * lookaround and no references, counts up to 1,000, and takes `\s` and `.` for ASCII and `\n` (docs/operations.md).
 */
export class LinearPattern {
  private readonly engine: RE2JS;

  /** @throws PatternError */
  constructor(
    readonly source: string,
    private readonly meter: WorkMeter,
  ) {
    if (source.length > LONGEST_PATTERN) throw new PatternError('it is too long');
    this.engine = compiled(source);
  }

  /** Instructions that were made of it. */
  get size(): number {
    return this.engine.programSize();
  }

  /** Ajv tells patterns apart by this. */
  toString(): string {
    return `/${this.source}/u`;
  }

  /** Whether it matches anywhere in the text. */
  test(text: string): boolean {
    this.meter.spend(text.length * Math.max(1, Math.ceil(this.size / INSTRUCTIONS_PER_LOOK)));
    return this.engine.test(text);
  }
}

function compiled(source: string): RE2JS {
  try {
    // What is no expression of the dialect that JSON Schema means isn't taken either, although the engine may read it.
    new RegExp(source, 'u');
  } catch {
    throw new PatternError('it is no regular expression (ECMA-262 with the flag u)');
  }
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source));
  } catch (error) {
    if (error instanceof RE2JSException) throw new PatternError('it needs lookaround, references or counts over 1,000 (RE2 has none)');
    throw error;
  }
}
