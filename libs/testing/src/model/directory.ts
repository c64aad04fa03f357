import type { FingerprintKey } from '@counterfoil/canonical';
import { DomainError, type RegistryEvent } from '@counterfoil/contracts';
import {
  decideRegistry,
  evolveRegistry,
  initialRegistry,
  toolDirectory,
  ToolSchemas,
  type FoldedRegistryEvent,
  type RegistryCommand,
} from '@counterfoil/registry';
import type { ToolDirectory } from '@counterfoil/session';
import { ACCEPTED, SAME, type Said } from './reference/shapes.js';
import { pick, WORKSPACE } from './resolve/resolved.js';
import type { RegistryStep } from './steps.js';
import { POLICIES, SPECS, TOOLS } from './words.js';

const EFFECTS = {
  file_write: { kind: 'file_write', path: '/path', content: '/content' },
  command: { kind: 'command', command: '/command', cwd: '/cwd' },
  'command without cwd': { kind: 'command', command: '/command' },
} as const;
const NEEDS_PATH = '{"type":"object","required":["path"]}';
/** They hold nothing but checks of the few schemas, so that all histories may share them. */
const SCHEMAS = new ToolSchemas();

/** The registry's stream, and the directory that the decider is given of it. The reference keeps its own idea of both. */
export class ModelRegistry {
  private readonly state = initialRegistry();
  private current = toolDirectory(this.state, SCHEMAS);

  constructor(private readonly key: FingerprintKey) {}

  get directory(): ToolDirectory {
    return this.current;
  }

  /** What the step is answered with, and the event that it leads to. */
  decide(step: RegistryStep): readonly [Said, RegistryEvent | null] {
    try {
      const [event = null] = decideRegistry(this.state, commandOf(step), { key: this.key, schemas: SCHEMAS });
      return [event === null ? SAME : ACCEPTED, event];
    } catch (error) {
      if (error instanceof DomainError) return [error.code, null];
      throw error;
    }
  }

  fold(event: RegistryEvent): void {
    const folded = { ...event, revision: this.state.revision + 1 } as FoldedRegistryEvent;
    this.current = toolDirectory(evolveRegistry(this.state, folded), SCHEMAS);
  }
}

export function commandOf(step: RegistryStep): RegistryCommand {
  if (step.do === 'policy') return { type: 'SetPolicy', workspaceId: WORKSPACE, policy: pick(POLICIES, step.policy) };
  const { source, name } = pick(TOOLS, step.tool);
  if (step.do === 'retire') return { type: 'RetireTool', workspaceId: WORKSPACE, source, name, reason: null };
  const { version, sideEffects, given, duplicates, isByClass, exitCodes, effect, needsPath } = pick(pick(SPECS, step.tool), step.spec);
  return {
    type: 'RegisterTool',
    workspaceId: WORKSPACE,
    ...{ source, name, version },
    inputSchema: needsPath ? { kind: 'json', text: NEEDS_PATH } : null,
    sideEffects: given ?? sideEffects,
    parallelSafe: false,
    capabilities: [],
    duplicates: isByClass ? null : duplicates,
    successExitCodes: exitCodes,
    effect: effect === null ? null : EFFECTS[effect],
  };
}
