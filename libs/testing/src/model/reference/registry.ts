import type { Policy, SideEffectClass } from '@counterfoil/contracts';
import { ARGUMENTS, POLICIES, SPECS, TOOLS, type Spec } from '../words.js';
import type { RegistryStep } from '../steps.js';
import { ACCEPTED, SAME, type Expected, type Said } from './shapes.js';

/** What the policy wants of a call; `expires` in milliseconds. */
export interface Verdict {
  readonly then: 'allow' | 'require_approval' | 'refuse';
  readonly expires: number | null;
}

/** Tools and policy of the workspace, as the last step left them. */
export class ReferenceRegistry {
  readonly tools: (Spec | null)[] = TOOLS.map(() => null);
  policy: Policy | null = null;
  private readonly retired: number[] = [];

  apply(step: RegistryStep): Said {
    if (step.do === 'policy') {
      const before = this.policy;
      this.policy = POLICIES[step.policy] ?? null;
      return this.policy === before ? SAME : ACCEPTED;
    }
    const before = this.specOf(step.tool);
    if (step.do === 'retire') {
      if (before === null) return this.retired.includes(step.tool) ? SAME : 'not_found';
      this.retired.push(step.tool);
      this.tools[step.tool] = null;
      return ACCEPTED;
    }
    this.tools[step.tool] = SPECS[step.tool]?.[step.spec] ?? null;
    return this.specOf(step.tool) === before ? SAME : ACCEPTED;
  }

  specOf(tool: number): Spec | null {
    return this.tools[tool] ?? null;
  }

  /** The strictest match wins, and nothing is ever granted (promise 10, design §7). */
  judge(tool: number): Verdict {
    const spec = this.specOf(tool);
    const sideEffects = sideEffectsOf(spec);
    const rules = (this.policy?.rules ?? []).filter(
      ({ match }) =>
        fits(match.source, TOOLS[tool]?.source ?? '') &&
        fits(match.name, TOOLS[tool]?.name ?? '') &&
        (match.sideEffects?.includes(sideEffects) ?? true),
    );
    const wishes = [...rules.map((rule) => rule.then), ...(spec === null ? [this.policy?.unknownTools ?? 'allow'] : [])];
    if (wishes.includes('refuse')) return { then: 'refuse', expires: null };
    if (!wishes.includes('require_approval')) return { then: 'allow', expires: null };
    const seconds = rules.flatMap(({ expiresSeconds }) => expiresSeconds ?? []);
    return { then: 'require_approval', expires: seconds.length === 0 ? null : Math.min(...seconds) * 1000 };
  }
}

/** A tool that is not registered is destructive (promise 12). */
export const sideEffectsOf = (spec: Spec | null): SideEffectClass => spec?.sideEffects ?? 'destructive';

/** `*` stands for any run of characters. */
function fits(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern;
  if (pattern === '') return text === '';
  if (first === '*') return fits(rest.join(''), text) || (text !== '' && fits(pattern, text.slice(1)));
  return text.startsWith(first) && fits(rest.join(''), text.slice(1));
}

/** Whether the arguments violate the input schema that the tool has. */
export const violates = (spec: Spec | null, args: number): boolean =>
  spec?.needsPath === true && ARGUMENTS[args]?.value['path'] === undefined;

/** What to expect of a call, from the tool's effect mapping and the arguments (promise 19). */
export function expectedOf(tool: number, spec: Spec | null, args: number): Expected {
  const { value = {}, malformed } = ARGUMENTS[args] ?? {};
  if (spec === null || malformed !== undefined) return { kind: 'unavailable' };
  if (spec.effect === null) return spec.sideEffects === 'read_only' ? { kind: 'not_applicable' } : { kind: 'unavailable' };
  const { path, content, command, cwd }: Readonly<Record<string, unknown>> = value;
  if (spec.effect === 'file_write') {
    return typeof path === 'string' && typeof content === 'string' ? { kind: 'file', path, content } : { kind: 'unavailable' };
  }
  if (command === undefined) return { kind: 'unavailable' };
  const directory = spec.effect === 'command' && typeof cwd === 'string' ? cwd : null;
  return { kind: 'command', tool, command: JSON.stringify(command), cwd: directory };
}
