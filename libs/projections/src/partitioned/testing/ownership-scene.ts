import type { DocumentStore } from '@counterfoil/read-models';
import { MemoryEventStore, tallySet } from '@counterfoil/testing';
import { settingsOf } from '../../settings.js';
import { Ownership, type OwnershipChange } from '../ownership.js';
import { Slots, type Slot } from '../slots.js';
import { StoreScene } from './store-scene.js';

export const LEASE_MS = 1000;
export const PARTITIONS = 64;
const forever = new AbortController().signal;

/** One process as far as ownership goes; its beats are the test's. */
export class Member {
  private constructor(
    readonly slot: Slot,
    readonly ownership: Ownership,
    readonly changes: readonly OwnershipChange[],
  ) {}

  static async join(docs: DocumentStore, clock: () => number, version: number, partitions = PARTITIONS): Promise<Member> {
    const settings = settingsOf({ events: new MemoryEventStore(), docs, set: tallySet(version), partitions, leaseMs: LEASE_MS, clock });
    const slots = new Slots(settings);
    const slot = await slots.join(forever);
    if (slot === null) throw new Error('no slot');
    const changes: OwnershipChange[] = [];
    return new Member(slot, new Ownership(settings, slots, slot, (change) => changes.push(change)), changes);
  }

  get has(): readonly number[] {
    return [...this.ownership.kept().keys()].sort((a, b) => a - b);
  }

  get isLost(): boolean {
    return this.slot.lease.lost.aborted;
  }

  /** What a follower does at a beat; it lets go at once. */
  async beat(): Promise<void> {
    await this.slot.lease.renew();
    if (this.isLost) return;
    await this.ownership.look();
    await this.ownership.giveBack(() => false);
  }
}

/** Every partition has one owner, and nobody more than a fair share. */
export function expectSpread(members: readonly Member[]): void {
  expect(members.flatMap(({ has }) => has).sort((a, b) => a - b)).toEqual(Array.from({ length: PARTITIONS }, (_, n) => n));
  const share = Math.ceil(PARTITIONS / members.length);
  for (const { has } of members) expect(has.length).toBeLessThanOrEqual(share);
}

/** Processes that own the partitions of one store. */
export class OwnershipScene extends StoreScene {
  constructor() {
    super(5000);
  }

  async join(store: DocumentStore = this.docs): Promise<Member> {
    return Member.join(store, this.clock, this.version);
  }

  async beatAll(members: readonly Member[], rounds = 3): Promise<void> {
    for (let round = 0; round < rounds; round++) for (const member of members) await member.beat();
  }
}

/** A scene for each test of a group, which calls this once. */
export function ownershipScene(): OwnershipScene {
  const scene = new OwnershipScene();
  beforeEach(() => scene.begin());
  afterEach(() => scene.end());
  return scene;
}
