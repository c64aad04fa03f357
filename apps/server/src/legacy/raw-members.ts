/** Members that are kept as the exact text in which they came: whatever a tool was given and said (promises 5, 24). */
export const LEGACY_RAW = ['args', 'result', 'verifiedEffect', 'acceptance'];
