import { Inject } from '@nestjs/common';
import { CommandHandler, QueryHandler, type ICommandHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { AccessScope, CreateKeyBody, KeyView } from '@counterfoil/contracts';
import { LEDGER, type Ledger } from '@counterfoil/ledger';

export class CreateKeyCommand {
  constructor(
    readonly scope: AccessScope,
    readonly body: CreateKeyBody,
  ) {}
}

export class RevokeKeyCommand {
  constructor(
    readonly scope: AccessScope,
    readonly keyId: string,
  ) {}
}

export class ListKeysQuery {
  constructor(readonly scope: AccessScope) {}
}

@CommandHandler(CreateKeyCommand)
export class CreateKeyHandler implements ICommandHandler<CreateKeyCommand> {
  constructor(@Inject(LEDGER) private readonly ledger: Ledger) {}

  /** The secret stands in this answer and nowhere else. */
  async execute({ scope, body }: CreateKeyCommand): Promise<KeyView & { readonly secret: string; readonly position: string }> {
    const { key, secret, position } = await this.ledger.access.create(scope, body);
    return { ...key, secret, position: this.ledger.token(position) };
  }
}

@CommandHandler(RevokeKeyCommand)
export class RevokeKeyHandler implements ICommandHandler<RevokeKeyCommand> {
  constructor(@Inject(LEDGER) private readonly ledger: Ledger) {}

  async execute({ scope, keyId }: RevokeKeyCommand): Promise<KeyView> {
    return (await this.ledger.access.revoke(scope, keyId)).key;
  }
}

@QueryHandler(ListKeysQuery)
export class ListKeysHandler implements IQueryHandler<ListKeysQuery> {
  constructor(@Inject(LEDGER) private readonly ledger: Ledger) {}

  async execute({ scope }: ListKeysQuery): Promise<{ readonly items: readonly KeyView[]; readonly nextCursor: null }> {
    return { items: await this.ledger.access.list(scope), nextCursor: null };
  }
}
