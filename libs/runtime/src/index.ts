export { createLogger, LOGGER, type LogFields, type Logger, type LogLevel } from './logger.js';
export { runProgram, type RunningProgram } from './run-program.js';
