export { TOOL_INDEXES, toolFields, toolKey, toolsProjection } from './projection.js';
export { findTools, getTool, planTools, splitToolQuery, ToolListQuery } from './queries.js';
export type { ToolFilters, ToolScope } from './queries.js';
