/**
 * Why a ledger is not copied:
 * - `copy_onto_itself`: source and target are one ledger
 * - `copy_prefixes_overlap`: both are in one server, and one's stream prefix begins with the other's
 * - `copy_target_in_use`: the target holds events that are no copy of anything
 * - `copy_of_another_ledger`: the target is a copy of another ledger
 * - `copy_target_sealed`: the target has ended
 * - `copy_keys_differ`: the target was made with other keys
 * - `copy_target_differs`: a stream of the target holds other events than the source's, or more
 * - `copy_source_unfinished`: the source is a copy that was cut off
 * - `copy_sealed_for_another`: the source was sealed for another copy
 */
export type CopyErrorCode =
  | 'copy_onto_itself'
  | 'copy_prefixes_overlap'
  | 'copy_target_in_use'
  | 'copy_of_another_ledger'
  | 'copy_target_sealed'
  | 'copy_keys_differ'
  | 'copy_target_differs'
  | 'copy_source_unfinished'
  | 'copy_sealed_for_another';

/** Says what the operator may do. What was copied before stays, and is taken up by the next run. */
export class CopyError extends Error {
  constructor(
    readonly code: CopyErrorCode,
    detail: string,
  ) {
    super(detail);
    this.name = 'CopyError';
  }
}
