import { reaches, RESULT_BOUND } from './fidelity.js';
import type { GenerationName } from './generations/shapes.js';

/** Since 1b: tools whose results are long by their nature. */
const LONG_RESULT_BOUND = 200_000;
const LONG_RESULTS: ReadonlySet<string> = new Set(['read_file', 'read_webpage', 'git_diff', 'git_show', 'graph_query']);
/** Since 1b: delegation, whose results were never cut. */
const WHOLE_RESULTS: ReadonlySet<string> = new Set([
  'spawn_agents',
  'send_subagent',
  'list_subagents',
  'wait_subagents',
  'cancel_subagent',
]);
const BUG_FIX_RESULT_BOUND = 1000;

const LENGTHENED: ReadonlySet<GenerationName> = new Set<GenerationName>(['1b', '2', '3']);

/** At which lengths a result may have been cut with no mark, in characters. */
export function resultBounds(surface: string, generation: GenerationName, tool: string): readonly number[] {
  if (surface === 'bug_fix.receipt') return [BUG_FIX_RESULT_BOUND];
  if (!LENGTHENED.has(generation)) return [RESULT_BOUND];
  if (WHOLE_RESULTS.has(tool)) return [];
  return [LONG_RESULTS.has(tool) ? LONG_RESULT_BOUND : RESULT_BOUND];
}

export const mayBeCut = (result: string, bounds: readonly number[]): boolean => bounds.some((bound) => reaches(result, bound));
