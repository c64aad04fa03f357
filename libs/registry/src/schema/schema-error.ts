/** A schema that cannot be used. `reason` is in our words and the schema's own, bounded. */
export class SchemaError extends Error {
  readonly code = 'schema_unusable';
  readonly reason: string;
  constructor(reason: string) {
    super(`a schema that cannot be used: ${reason}`);
    this.name = 'SchemaError';
    this.reason = reason;
  }
}
