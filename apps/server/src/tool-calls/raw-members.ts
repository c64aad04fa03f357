/** Members of each body that are kept as the exact text in which they came: free JSON of the caller's (promises 5, 24). */
export const REQUEST_RAW = ['arguments', 'argumentsJson', 'tool.declared'];
export const DISPATCH_RAW = ['arguments', 'argumentsJson'];
export const RESULT_RAW = ['output', 'outcome.error.message'];
export const OBSERVED_RAW = [...REQUEST_RAW, ...RESULT_RAW];
