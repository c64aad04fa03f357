import type { SecretKind } from '../keys/secret-keys.js';
import type { Container, SecretValue, Step } from './model.js';

/** A value that may turn out to be the secret of a pair, once its container has ended. */
export interface PairValue {
  readonly start: number;
  readonly end: number;
  readonly type: SecretValue['type'];
  /** Of a string. */
  readonly text: string;
  readonly step: Step;
}

/** `NAME=value` with a secret name, in what may be a list of environment variables. */
export interface Variable {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly hasEscape: boolean;
  readonly step: number;
  readonly valueStart: number;
  readonly kind: SecretKind;
}

/** A container that is open, with what is remembered of its members. */
export class Frame implements Container {
  /** Members so far. */
  count = 0;
  /** Object: the key of the member that is next. */
  key = '';
  keyStep: Step = '';
  /** Object: what the key says about the member that is next. */
  memberKind: SecretKind | null = null;
  /** The container stands under a secret key itself, and goes out whole. */
  kind: SecretKind | null = null;
  /** Object: the schema of a secret member. What describes it stays, what may hold it goes out. */
  schemaKind: SecretKind | null = null;
  /** Object: stands under `properties`, where schemas have their members. */
  isProperties = false;
  /** Object: {"name": …, "value": …}. */
  pairName: string | null = null;
  /** Object: the value of such a pair. Array: its second member, if it is a string. */
  pairValue: PairValue | null = null;
  /** Array: its first member and the last one, where they are strings. */
  first: string | null = null;
  previous: string | null = null;
  /** Array: all members so far are `NAME=value`. */
  isVariables = true;
  variables: Variable[] | null = null;

  constructor(
    readonly parent: Container | null,
    readonly step: Step,
    readonly isObject: boolean,
    readonly start: number,
  ) {}

  /** The step into the member that is next. */
  get nextStep(): Step {
    return this.isObject ? this.keyStep : this.count;
  }
}
