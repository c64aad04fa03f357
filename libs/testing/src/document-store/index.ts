export { documentStoreConformance } from './conformance.js';
export type { DocumentStoreFactory, DocumentStoreFixture } from './fixture.js';
