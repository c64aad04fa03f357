import type { ToolSpec } from '@counterfoil/contracts';
import { compileSchema, type Violation } from './compile.js';
import { SchemaError } from './schema-error.js';

/** What is made of a schema takes many times the room of its text. */
const MOST_TEXT_UNITS = 2 * 1024 * 1024;
const MOST_SCHEMAS = 1000;

const FITS: Violation = () => null;
const UNUSABLE: Violation = () => 'the schema cannot be used by this version';

/** Checks of input schemas, made once for each spec and kept while there is room; the least recently used one leaves first. */
export class ToolSchemas {
  private readonly checks = new Map<string, { readonly check: Violation; readonly units: number }>();
  private units = 0;

  constructor(
    private readonly mostUnits = MOST_TEXT_UNITS,
    private readonly most = MOST_SCHEMAS,
  ) {}

  /** @throws SchemaError for a schema that is not registered yet, and can't be */
  compile(spec: ToolSpec): Violation {
    if (spec.inputSchema === null) return FITS;
    const known = this.checks.get(spec.specDigest);
    if (known?.check === UNUSABLE) throw new SchemaError('it could not be used before');
    if (known !== undefined) {
      this.checks.delete(spec.specDigest);
      this.checks.set(spec.specDigest, known);
      return known.check;
    }
    const { json } = spec.inputSchema;
    const check = compileSchema(json);
    this.keep(spec.specDigest, check, json.length);
    return check;
  }

  /**
   * Where the arguments violate the schema; null if they don't. A schema that was taken by another version and isn't by this one
   * admits nothing.
   *
   * @param canonicalArguments in RFC 8785 form
   */
  violation(spec: ToolSpec, canonicalArguments: string): string | null {
    return this.checkOf(spec)(canonicalArguments);
  }

  private checkOf(spec: ToolSpec): Violation {
    try {
      return this.compile(spec);
    } catch {
      if (!this.checks.has(spec.specDigest)) this.keep(spec.specDigest, UNUSABLE, spec.inputSchema?.json.length ?? 0);
      return UNUSABLE;
    }
  }

  private keep(digest: string, check: Violation, units: number): void {
    this.checks.set(digest, { check, units });
    this.units += units;
    for (const [oldest, { units: given }] of this.checks) {
      if ((this.units <= this.mostUnits && this.checks.size <= this.most) || oldest === digest) return;
      this.checks.delete(oldest);
      this.units -= given;
    }
  }
}
