/** Formats that can be asked for: `auto` looks at each record. */
export const IMPORT_FORMATS = ['auto', 'openkyrozen'] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

export const isImportFormat = (name: string): name is ImportFormat => (IMPORT_FORMATS as readonly string[]).includes(name);
