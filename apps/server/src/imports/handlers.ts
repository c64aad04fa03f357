import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { RunImportCommand } from './commands.js';
import { ImportDesk, type ImportAnswer } from './import-desk.js';

@CommandHandler(RunImportCommand)
export class RunImportHandler implements ICommandHandler<RunImportCommand> {
  constructor(@Inject(ImportDesk) private readonly desk: ImportDesk) {}

  async execute(command: RunImportCommand): Promise<ImportAnswer> {
    return this.desk.run(command);
  }
}
