/** The file can't serve as this store: not a database, damaged, of a newer version, or of another program. Nothing was changed in it. */
export class StoreFileError extends Error {
  readonly code = 'store_file_unusable';
  constructor(
    readonly file: string,
    detail: string,
    options?: ErrorOptions,
  ) {
    super(`${file}: ${detail}`, options);
    this.name = 'StoreFileError';
  }
}
