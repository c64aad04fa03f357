export { lastWords } from './last-words.js';
export { createLogger, LOGGER, type LogFields, type Logger, type LogLevel } from './logger.js';
export { runProgram, type Begun } from './run-program.js';
export { SharedLook, type SharedLookOptions } from './shared-look.js';
