export const WORKSPACE = 'w1';
export const SESSION = 's1';
export const USER = 'u1';
/** Stream of the session that the builders' events belong to. */
export const STREAM = `session-${WORKSPACE}/${SESSION}`;
/** Stream of the workspace's tool registry. */
export const REGISTRY_STREAM = `registry-${WORKSPACE}`;
