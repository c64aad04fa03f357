import { z } from 'zod';
import { ToolName, ToolSource, WorkspaceId } from '../ids.js';
import { Payload } from '../payload.js';
import { Policy, ToolSpec } from '../tools.js';

/** Also of a tool that was registered before, or retired: the newest spec stands. */
export const ToolRegistered = ToolSpec.extend({ workspaceId: WorkspaceId });

export const ToolRetired = z.object({ workspaceId: WorkspaceId, source: ToolSource, name: ToolName, reason: Payload.nullable() });

/** Versions count from 1 and are all kept. */
export const PolicySet = Policy.extend({ workspaceId: WorkspaceId, version: z.int().positive() });
