import { RegisterToolBody, RetireToolBody, SetPolicyBody } from '@counterfoil/contracts';
import { ToolListQuery } from '@counterfoil/read-models';
import { GetPolicyParams } from '../../policy/handlers.js';
import { answered, createdOr, MIN_POSITION, named, PAGE_PROBLEMS, type RouteEntry } from '../route-entry.js';
import { pageOf, PolicyAnswer, RegisteredTool, RetiredTool, Tool } from '../schemas.js';

const policy = named('PolicyAnswer', PolicyAnswer);

export const TOOL_ROUTES: readonly RouteEntry[] = [
  {
    route: 'POST /v1/tools',
    id: 'registerTool',
    tag: 'tools',
    summary: 'Register a tool, or its newest spec',
    description: 'A side-effect class grants nothing. Calls that were requested under another spec are refused at dispatch.',
    body: named('RegisterToolBody', RegisterToolBody),
    answers: createdOr(named('RegisteredTool', RegisteredTool)),
    problems: [
      'identifier_is_secret',
      'tool_schema_invalid',
      'tool_schema_secret',
      'tool_schema_too_large',
      'registry_full',
      'event_too_large',
      'contention',
      'outcome_unknown',
      'ledger_sealed',
    ],
  },
  {
    route: 'POST /v1/tools/retire',
    id: 'retireTool',
    tag: 'tools',
    summary: 'Retire a tool',
    description: 'From then on it is treated as one that nobody registered.',
    body: named('RetireToolBody', RetireToolBody),
    answers: answered('The tool.', named('RetiredTool', RetiredTool)),
    problems: ['not_found', 'contention', 'outcome_unknown', 'ledger_sealed'],
  },
  {
    route: 'GET /v1/tools',
    id: 'findTools',
    tag: 'tools',
    summary: 'List tools, the newest first',
    query: ToolListQuery,
    headers: [MIN_POSITION],
    answers: answered('A page.', named('ToolPage', pageOf(Tool))),
    problems: PAGE_PROBLEMS,
  },
  {
    route: 'PUT /v1/policy',
    id: 'setPolicy',
    tag: 'tools',
    summary: 'Set the policy of the workspace',
    description: 'The strictest rule that fits wins; none grants anything.',
    body: named('SetPolicyBody', SetPolicyBody),
    answers: answered('The policy in force.', policy),
    problems: ['identifier_is_secret', 'event_too_large', 'contention', 'outcome_unknown', 'ledger_sealed'],
  },
  {
    route: 'GET /v1/policy',
    id: 'getPolicy',
    tag: 'tools',
    summary: 'Read the policy in force, or an earlier version',
    query: GetPolicyParams,
    answers: answered('The policy.', policy),
    problems: ['not_found'],
  },
];
