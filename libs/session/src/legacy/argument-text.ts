import { keyed, pythonStrip, type FingerprintKey } from '@counterfoil/canonical';

/** An argument text as the old runtime compared it: line breaks count as blanks, outer blanks not at all. */
export const flattened = (text: string): string => pythonStrip(text.replaceAll('\r\n', '\n').replaceAll('\n', ' '));

/** Tag `legacy-args`, over the flattened text, whole: the old runtime cut at 1000 characters first, and then never matched a longer one. */
export const argsFingerprint = (key: FingerprintKey, text: string): string => keyed(key, 'legacy-args', flattened(text));

/** The spellings in which a command criterion may hold an argument text: exactly as it is, or as the old runtime kept it. */
export const commandSpellings = (text: string): readonly string[] => [...new Set([text, pythonStrip(text), flattened(text)])];
