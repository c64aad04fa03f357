export { IMPORT_INDEXES, importFields, importKey, importsProjection } from './projection.js';
export { findImports, getImport, ImportListQuery, planImports } from './queries.js';
export type { ImportScope } from './queries.js';
