import type { WorkspaceRegistry } from './workspace-registry.js';

interface Held {
  readonly registry: WorkspaceRegistry;
  /** Units that it was counted with. */
  units: number;
}

/**
 * Folded registries by workspace, the least recently used one leaving first. Bounded by the specs held, not by workspaces: that is
 * what costs memory. One that is in use when it leaves is of use to its users all the same.
 */
export class RegistryCache {
  private readonly registries = new Map<string, Held>();
  private units = 0;

  /** @param limit UTF-16 units of all registries together */
  constructor(private readonly limit = 64 * 1024 * 1024) {}

  get size(): number {
    return this.registries.size;
  }

  get(workspaceId: string, make: () => WorkspaceRegistry): WorkspaceRegistry {
    const held = this.registries.get(workspaceId) ?? { registry: make(), units: 0 };
    this.registries.delete(workspaceId);
    this.registries.set(workspaceId, held);
    return held.registry;
  }

  /** Counts a registry anew, once it was read on, and makes room. */
  settle(workspaceId: string): void {
    const settled = this.registries.get(workspaceId);
    if (settled === undefined) return;
    this.units += settled.registry.units - settled.units;
    settled.units = settled.registry.units;
    for (const [oldest, { units }] of this.registries) {
      if (this.units <= this.limit || oldest === workspaceId) return;
      this.registries.delete(oldest);
      this.units -= units;
    }
  }
}
