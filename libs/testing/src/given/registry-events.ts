import { builder } from './builder.js';
import { WORKSPACE } from './scope.js';

/** The tool that the builders' events are about. */
const ofTool = { workspaceId: WORKSPACE, source: 'mcp:files', name: 'write_file' };

export const toolRegistered = builder('ToolRegistered', {
  ...ofTool,
  version: '1',
  inputSchema: null,
  sideEffects: 'filesystem',
  declaredClass: null,
  parallelSafe: false,
  capabilities: ['write'],
  duplicates: 'refuse_in_turn',
  successExitCodes: null,
  effect: { kind: 'file_write', path: '/path', content: '/content' },
  specDigest: `sha256:${'0'.repeat(64)}`,
});

export const toolRetired = builder('ToolRetired', { ...ofTool, reason: null });

export const policySet = builder('PolicySet', { workspaceId: WORKSPACE, version: 1, rules: [], unknownTools: 'allow' });
