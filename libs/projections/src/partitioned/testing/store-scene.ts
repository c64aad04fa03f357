import type { DocumentStore } from '@counterfoil/read-models';
import { projectionFixture, type ProjectionFixture } from '@counterfoil/testing';

/** A store of each test's own, in which the time is the test's. */
export class StoreScene {
  now = 0;
  /** Of the projections: another one for each test, and for each run of a property. */
  version = 0;
  readonly clock = (): number => this.now;
  private opened: { readonly fixture: ProjectionFixture; readonly docs: DocumentStore } | null = null;

  constructor(private readonly beginsAt: number) {}

  async begin(): Promise<void> {
    const fixture = await projectionFixture();
    this.opened = { fixture, docs: await fixture.docs() };
    this.now = this.beginsAt;
    this.version++;
  }

  async end(): Promise<void> {
    await this.opened?.fixture.dispose();
    this.opened = null;
  }

  get docs(): DocumentStore {
    return this.inTest().docs;
  }

  /** The same documents through another connection. */
  anotherStore(): Promise<DocumentStore> {
    return this.inTest().fixture.docs();
  }

  private inTest(): { readonly fixture: ProjectionFixture; readonly docs: DocumentStore } {
    if (this.opened === null) throw new Error('the store is there within a test only');
    return this.opened;
  }
}
