import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { Http } from '../demo/agent.js';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

interface Content {
  readonly content?: Readonly<Record<string, unknown>>;
}

interface Operation {
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

export interface ApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
}

/** Checks what a server takes and answers against its own description. */
export class DocumentedApi {
  /** What did not fit: operation, status, and why. */
  readonly faults: string[] = [];
  /** Operations that answered with success at least once, as `METHOD template`. */
  readonly answered = new Set<string>();
  private readonly ajv = new Ajv({ allErrors: true, strict: true });
  private readonly validators = new Map<string, ValidateFunction>();

  constructor(readonly document: ApiDocument) {
    // Both modules of the formats package are one function, typed as a namespace under nodenext.
    (addFormats as unknown as (ajv: Ajv) => void)(this.ajv);
    for (const [name, schema] of Object.entries(document.components.schemas)) this.ajv.addSchema(closed(schema) as object, name);
  }

  get operations(): readonly string[] {
    return Object.entries(this.document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
  }

  /** @param body the text that was sent */
  check(method: string, url: string, body: string | undefined, status: number, answer: unknown): void {
    const found = this.operationOf(method, url);
    if (found === null) {
      this.faults.push(`${method} ${url} is not described`);
      return;
    }
    const { name, operation } = found;
    this.validate(name, String(status), operation.responses[String(status)], answer);
    if (status >= 300) return;
    this.answered.add(name);
    if (body !== undefined) this.validate(name, 'body', operation.requestBody, JSON.parse(body));
  }

  private operationOf(method: string, url: string): { readonly name: string; readonly operation: Operation } | null {
    const [path = ''] = url.split('?');
    for (const [template, methods] of Object.entries(this.document.paths)) {
      const operation = methods[method.toLowerCase()];
      if (operation !== undefined && new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{[a-z]+\}/g, '[^/]+')}$`).test(path))
        return { name: `${method} ${template}`, operation };
    }
    return null;
  }

  private validate(name: string, what: string, entry: Content | undefined, value: unknown): void {
    const [mediaType] = Object.keys(entry?.content ?? {});
    if (mediaType === undefined) {
      this.faults.push(`${name} ${what} is not described`);
      return;
    }
    const key = [name, what, mediaType].join(' ');
    const validate = this.validators.get(key) ?? this.ajv.compile(closed(schemaOf(entry, mediaType)) as object);
    this.validators.set(key, validate);
    if (!validate(value)) this.faults.push(`${name} ${what}: ${this.ajv.errorsText(validate.errors)}`);
  }
}

const schemaOf = (entry: Content | undefined, mediaType: string): Json => (entry?.content?.[mediaType] as { schema: Json }).schema;

/** Members that are not described are faults here, though a client must take them; and references are names of components. */
function closed(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]): [string, Json] => [
    key,
    typeof value === 'string' && key === '$ref' ? value.replace('#/components/schemas/', '') : closed(value),
  ]);
  const isOpen = typeof schema['properties'] === 'object' && schema['type'] === 'object' && !('additionalProperties' in schema);
  return { ...Object.fromEntries(entries), ...(isOpen ? { additionalProperties: false } : {}) };
}

/** A client whose every request and answer is checked. */
export class CheckedHttp extends Http {
  constructor(
    private readonly api: DocumentedApi,
    url: string,
    key: string,
  ) {
    super(url, key);
  }

  override async raw(
    method: string,
    path: string,
    text?: string,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: unknown }> {
    const answer = await super.raw(method, path, text, headers);
    this.api.check(method, path, text, answer.status, answer.body);
    return answer;
  }
}
