import { createHash } from 'node:crypto';

const NUL = String.fromCharCode(0);

/** Hex digits of SHA-256 over the UTF-8 of a text. */
export const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

/** 32 hex digits that follow from a label: invented ids are the same in every run. */
export const id32 = (label: string): string => sha256(`invented ${label}`).slice(0, 32);

export const oldOperationId = (scope: string, tool: string, args: string): string => sha256([scope, tool, args].join(NUL)).slice(0, 32);

/** The digest of generation 2, over the arguments before redaction and cut. */
export const argsSha256 = (args: string): string => sha256(args.replaceAll('\r\n', '\n').replaceAll('\n', ' ').trim());

/** 16 hex digits of what a task says, whatever its case and its blanks. */
export const taskKey = (description: string): string => sha256(description.toLowerCase().split(/\s+/).join(' ').trim()).slice(0, 16);

export const scopeKey = (user: string, workspace: string, session: string | null): string =>
  taskKey(`${user}:${workspace}:${session ?? ''}`);
