import type { CounterfoilEvent, EventData, EventType } from '@counterfoil/contracts';

export type Built<T extends EventType> = Extract<CounterfoilEvent, { readonly type: T }>;

/** A builder of one event: sane values for everything that isn't given. */
export function builder<T extends EventType>(type: T, defaults: EventData<T>): (data?: Partial<EventData<T>>) => Built<T> {
  // TypeScript can't see that (T, EventData<T>) is the member of the union with that type.
  return (data = {}) => ({ type, data: { ...defaults, ...data } }) as unknown as Built<T>;
}
