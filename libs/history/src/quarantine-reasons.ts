/**
 * Why a record is kept aside instead of being imported. The codes are stored with events and never change their meaning; the sentence
 * is stored beside it as detail and says nothing of the record's content.
 */
export const QUARANTINE_REASONS = {
  // Of the text
  not_json: 'The line is no JSON: it was cut, or it is something else.',
  not_a_number: 'The line holds NaN, which is no JSON.',
  infinity: 'The line holds Infinity, which is no JSON.',
  control_character: 'A string holds a raw control character, which is no JSON.',
  invalid_utf8: 'The line holds bytes that are no UTF-8.',
  duplicate_key: 'An object names one key twice, so that readers disagree on what it says.',
  number_overflow: 'A number is greater than a double can hold.',
  number_underflow: 'A number is smaller than a double can hold.',
  integer_inexact: 'An integer is one that a double cannot hold exactly.',
  too_deep: 'The record is nested over 256 levels.',
  line_too_long: 'The line is longer than an importer holds in memory.',
  // Of the record
  payload_unreadable: 'The payload is neither an object nor the JSON text of one.',
  wrong_type: 'An identifier, the tool or a time is neither text nor null.',
  no_tool: 'The record names no tool.',
  tool_name_invalid: 'The name of the tool is empty, over 256 characters, or no well-formed text.',
  time_missing: 'The row does not say when it was created.',
  time_impossible: 'A time is no time, or one that does not exist.',
  unsupported_surface: 'The record holds a receipt in a form that this version does not read yet.',
  // Of versions that read less: what was put aside under it keeps it
  unsupported_generation: 'The receipt is of a generation that this version does not read yet.',
  // Found when it was to be stored
  secret_in_tool_name: 'The name of the tool looks like a secret.',
  facts_lost: 'After redaction and the cut the record would no longer say what it said.',
  content_differs: 'A record with the same coordinates and another content was imported before.',
} as const;

export type QuarantineReason = keyof typeof QUARANTINE_REASONS;
