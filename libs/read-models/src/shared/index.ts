export { cursorBinding } from './cursor.js';
export { ProjectionFault } from './fault.js';
export { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, pageShape } from './page.js';
export type { FoundPage, ListPlan, PageRequest } from './page.js';
export { portable, portableReceipt } from './portable.js';
export { inScope } from './scope.js';
export type { ReadScope } from './scope.js';
export { streamWorkspaceOf } from './streams.js';
