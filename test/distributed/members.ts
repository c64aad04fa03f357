/** Who has a connection of its own to each store, so that each can be broken by itself. */
export const SERVERS = ['server-1', 'server-2'] as const;
export const PROJECTORS = ['projector-1', 'projector-2'] as const;
export const MEMBERS = [...SERVERS, ...PROJECTORS] as const;

export type ServerName = (typeof SERVERS)[number];
export type ProjectorName = (typeof PROJECTORS)[number];
export type Member = (typeof MEMBERS)[number];

export const STREAM_PREFIX = 'counterfoil.';
