export {
  registerTool,
  retireTool,
  setPolicy,
  type RegisterTool,
  type RegistryCommand,
  type RetireTool,
  type SetPolicy,
} from './commands.js';
export type { RegistryContext } from './context.js';
export { decideRegistry } from './decide.js';
export { MOST_TOOLS } from './decisions/register-tool.js';
export { toolDirectory } from './directory.js';
export { ALLOW_ALL, judgeOf, type Judge, type JudgedTool } from './policy/judge.js';
export { ToolSchemas } from './schema/tool-schemas.js';
export { evolveRegistry, initialRegistry, toolKey, type FoldedRegistryEvent, type RegistryState } from './state.js';
export { classOf, specDigest } from './tool-spec.js';
