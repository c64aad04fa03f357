import { openProjections, readSettings } from '@counterfoil/ledger';
import { createLogger, runProgram } from '@counterfoil/runtime';
import { Faults, startProjector } from './projector.js';

runProgram(async () => {
  const settings = readSettings(process.env);
  const faults = new Faults();
  const projections = await openProjections(settings, { onFault: faults.note });
  const projector = await startProjector(projections.engine, faults, settings, createLogger(settings.log));
  process.stdout.write(`Counterfoil projector is running at ${projector.url}\n`);
  return {
    stop: async () => {
      await projector.stop();
      await projections.close();
    },
  };
});
