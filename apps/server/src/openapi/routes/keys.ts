import { CreateKeyBody, KeyView } from '@counterfoil/contracts';
import { answered, named, type RouteEntry } from '../route-entry.js';
import { CreatedKey, KeyList } from '../schemas.js';

export const KEY_ROUTES: readonly RouteEntry[] = [
  {
    route: 'POST /v1/keys',
    id: 'createKey',
    tag: 'keys',
    summary: 'Make a key; its secret is shown this once',
    body: named('CreateKeyBody', CreateKeyBody),
    answers: { 201: { description: 'The key and its secret.', content: named('CreatedKey', CreatedKey) } },
    problems: ['key_exists', 'identifier_is_secret', 'contention', 'outcome_unknown', 'ledger_sealed'],
  },
  {
    route: 'GET /v1/keys',
    id: 'findKeys',
    tag: 'keys',
    summary: 'List the keys of the workspace',
    answers: answered('All of them.', named('KeyList', KeyList)),
  },
  {
    route: 'DELETE /v1/keys/:id',
    id: 'revokeKey',
    tag: 'keys',
    summary: 'Revoke a key',
    answers: answered('The key, revoked.', named('Key', KeyView)),
    problems: ['contention', 'outcome_unknown', 'ledger_sealed'],
  },
];
