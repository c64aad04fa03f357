import { DomainError } from '@counterfoil/contracts';

const TOKEN = /^([a-z0-9]{1,32})\.(0|[1-9][0-9]{0,18})$/;

/** Positions as clients hold them: `<ledger epoch>.<n>`, so that one of another ledger is refused and never taken as reached. */
export class PositionTokens {
  constructor(private readonly epoch: string) {}

  token(position: bigint): string {
    return `${this.epoch}.${position.toString()}`;
  }

  /** @throws DomainError `invalid_position`, `position_of_another_ledger` */
  parse(token: string): bigint {
    const parts = TOKEN.exec(token);
    if (parts?.[1] === undefined || parts[2] === undefined)
      throw new DomainError('invalid_position', 'A position has the form <epoch>.<number>.');
    if (parts[1] !== this.epoch) {
      throw new DomainError(
        'position_of_another_ledger',
        'The position was given by another ledger, or by this one before it was restored.',
      );
    }
    return BigInt(parts[2]);
  }
}
