import fc from 'fast-check';

/**
 * Properties run with one seed, so that a test run says the same twice. `COUNTERFOIL_PROPERTY_SEED=random` explores, and a failure names
 * its seed; a number runs that seed.
 */
const wanted = process.env['COUNTERFOIL_PROPERTY_SEED'] ?? '20261130';
if (wanted !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(wanted) });
