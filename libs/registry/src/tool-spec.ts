import { canonicalize, sha256Hex } from '@counterfoil/canonical';
import { OLD_CLASSES, SideEffectClass, type Duplicates, type ToolSpec } from '@counterfoil/contracts';
import type { RegisterTool } from './commands.js';
import type { AdmittedSchema } from './schema/admit.js';

/** A class as it was given, as one of the six; what is none of them and no old name is `destructive`. */
export function classOf(given: string): Pick<ToolSpec, 'sideEffects' | 'declaredClass'> {
  const known = SideEffectClass.safeParse(given);
  if (known.success) return { sideEffects: known.data, declaredClass: null };
  const isOld = Object.hasOwn(OLD_CLASSES, given);
  return { sideEffects: isOld ? OLD_CLASSES[given as keyof typeof OLD_CLASSES] : 'destructive', declaredClass: given };
}

/** Running a program or reading something again is ordinary (promise 12). */
const duplicatesOf = (sideEffects: SideEffectClass): Duplicates =>
  sideEffects === 'read_only' || sideEffects === 'process' ? 'allow' : 'refuse_in_turn';

/** The spec that a command asks for. What it says of running in parallel is taken as it says, whatever the class (promise 10). */
export function specOf(command: RegisterTool, schema: AdmittedSchema | null): ToolSpec {
  const { source, name, version, parallelSafe, capabilities, successExitCodes, effect } = command;
  const { sideEffects, declaredClass } = classOf(command.sideEffects);
  const spec = {
    source,
    name,
    version,
    inputSchema: schema?.payload ?? null,
    sideEffects,
    declaredClass,
    parallelSafe,
    // These are sets: in another order they are the same.
    capabilities: [...new Set(capabilities)].sort(),
    duplicates: command.duplicates ?? duplicatesOf(sideEffects),
    successExitCodes: successExitCodes === null ? null : [...new Set(successExitCodes)].sort((a, b) => a - b),
    effect,
  };
  return { ...spec, specDigest: specDigest(spec) };
}

/** `sha256:` and hex, over the RFC 8785 form of a spec without its digest. */
export const specDigest = (spec: Omit<ToolSpec, 'specDigest'>): string => `sha256:${sha256Hex(canonicalize(spec))}`;

/**
 * Whether two specs say the same. A schema that is only spelled differently is the same schema: a client that writes its keys in
 * another order each time would otherwise change the tool under every call that waits for an approval.
 */
export const saysTheSame = (a: ToolSpec, b: ToolSpec): boolean => a.specDigest === b.specDigest || meaningOf(a) === meaningOf(b);

function meaningOf({ specDigest: _, inputSchema, ...spec }: ToolSpec): string {
  return canonicalize({ ...spec, schema: inputSchema === null ? null : [JSON.parse(inputSchema.json)] });
}
