export { LEAST_LIMIT, redactRecord, WINDOW_UNITS } from './record/redact-record.js';
export type { RedactedRecord, RedactionOptions } from './record/redact-record.js';
export type { RedactionInput } from './record/input.js';
export { redactText, secretRuleOf } from './plain.js';
export { safeDisplay } from './display.js';
export { RULES } from './rules.js';
export type { RuleSet, TextRule } from './text/rule.js';
export { redactionMark } from './marks.js';
