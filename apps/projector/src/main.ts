import { namingSettings, openProjections, readSettings } from '@counterfoil/ledger';
import { createLogger, runProgram } from '@counterfoil/runtime';
import { Faults, startProjector } from './projector.js';

runProgram((begun) =>
  namingSettings(async () => {
    const settings = readSettings(process.env);
    const faults = new Faults();
    const projections = await openProjections(settings, { onFault: faults.note });
    begun(() => projections.close());
    const projector = await startProjector(projections.engine, faults, settings, createLogger(settings.log));
    begun(() => projector.stop());
    process.stdout.write(`Counterfoil projector is running at ${projector.url}\n`);
  }),
);
