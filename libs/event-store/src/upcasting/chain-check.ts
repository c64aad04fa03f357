import { BrokenUpcastChainError } from '../errors.js';
import { OLDEST_VERSION } from './stored-version.js';
import { nodeKey, targetsOf } from './upcast-step.js';
import type { UpcastStep } from './upcast-step.js';

export type CurrentVersions = Readonly<Record<string, number>>;
export type StepsByNode = ReadonlyMap<string, UpcastStep>;

/**
 * Checks that every stored (type, version) has exactly one path to current events (promise 25), and gives the steps by where they start.
 *
 * @param types every type that may be stored or upcast to, with its current version
 * @throws BrokenUpcastChainError for a missing step, two steps from one place, a step from or to an unknown place, or a cycle
 */
export function checkedSteps(types: CurrentVersions, steps: readonly UpcastStep[]): StepsByNode {
  const versions = checkedVersions(types);
  const byNode = new Map<string, UpcastStep>();
  for (const step of steps) {
    checkStep(versions, step);
    const key = nodeKey(step.type, step.from);
    if (byNode.has(key)) throw new BrokenUpcastChainError(`two steps start from ${place(step.type, step.from)}`);
    byNode.set(key, step);
  }
  for (const [type, current] of versions) {
    for (let version = OLDEST_VERSION; version < current; version++) {
      if (!byNode.has(nodeKey(type, version))) throw new BrokenUpcastChainError(`no step leads on from ${place(type, version)}`);
    }
  }
  checkNoCycle(byNode);
  return byNode;
}

function place(type: string, version: number): string {
  return `${type} version ${String(version)}`;
}

function isVersion(version: number): boolean {
  return Number.isSafeInteger(version) && version >= OLDEST_VERSION;
}

function checkedVersions(types: CurrentVersions): ReadonlyMap<string, number> {
  const versions = new Map(Object.entries(types));
  for (const [type, current] of versions) {
    if (!isVersion(current)) throw new BrokenUpcastChainError(`${type} has no whole number from 1 on as its current version`);
  }
  return versions;
}

function checkStep(versions: ReadonlyMap<string, number>, step: UpcastStep): void {
  const current = versions.get(step.type);
  if (current === undefined) throw new BrokenUpcastChainError(`a step starts from the unknown type ${step.type}`);
  if (!isVersion(step.from) || step.from > current) {
    throw new BrokenUpcastChainError(`a step starts from ${place(step.type, step.from)}, which doesn't exist`);
  }
  const from = place(step.type, step.from);
  if ('into' in step) {
    if (step.from !== current) throw new BrokenUpcastChainError(`the translation of ${from} must start from the current version`);
    if (step.into.length === 0) throw new BrokenUpcastChainError(`the translation of ${from} leads nowhere`);
  } else if (step.to <= step.from) {
    throw new BrokenUpcastChainError(`the step from ${from} doesn't lead to a later version`);
  }
  for (const target of targetsOf(step)) {
    const known = versions.get(target.type);
    if (known === undefined || !isVersion(target.version) || target.version > known) {
      throw new BrokenUpcastChainError(`the step from ${from} leads to ${place(target.type, target.version)}, which doesn't exist`);
    }
  }
}

/** Depth first with a stack of our own: a node that is met again while it is still open closes a circle. */
function checkNoCycle(byNode: StepsByNode): void {
  const state = new Map<string, 'open' | 'done'>();
  for (const start of byNode.keys()) {
    const stack = [start];
    for (let key = stack.at(-1); key !== undefined; key = stack.at(-1)) {
      if (state.has(key)) {
        state.set(key, 'done');
        stack.pop();
        continue;
      }
      state.set(key, 'open');
      const step = byNode.get(key);
      for (const target of step === undefined ? [] : targetsOf(step)) {
        const next = nodeKey(target.type, target.version);
        if (state.get(next) === 'open') {
          throw new BrokenUpcastChainError(`a circle of steps goes through ${place(target.type, target.version)}`);
        }
        if (!state.has(next)) stack.push(next);
      }
    }
  }
}
