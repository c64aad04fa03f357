import { createLogger } from './logger.js';

const logged = (
  level: Parameters<typeof createLogger>[0],
): { readonly lines: string[]; readonly logger: ReturnType<typeof createLogger> } => {
  const lines: string[] = [];
  return { lines, logger: createLogger(level, (line) => lines.push(line)) };
};

describe('a log line', () => {
  it('is one JSON object with time, level, message and fields', () => {
    const { lines, logger } = logged('info');
    logger.info('partitions taken over', { partitions: [1, 2], position: 7n });
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as unknown,
      level: 'info',
      message: 'partitions taken over',
      partitions: [1, 2],
      position: '7',
    });
  });

  it('says of an error its name, code and place, and never its message', () => {
    const { lines, logger } = logged('error');
    logger.error('failed', { error: Object.assign(new RangeError('quotes FAKE-data of a row'), { code: 'out_of_range' }) });
    const [line = ''] = lines;
    expect(JSON.parse(line)).toMatchObject({ error: { name: 'RangeError', code: 'out_of_range' } });
    expect(line).not.toContain('FAKE');
    expect(line).toContain('logger.unit.spec');
  });

  it('holds no secret that slipped in', () => {
    const { lines, logger } = logged('info');
    logger.info('connected', { to: 'postgres://user:FAKEpassword@host/db' });
    expect(lines[0]).not.toContain('FAKEpassword');
  });

  it.each([
    ['silent', []],
    ['error', ['error']],
    ['info', ['error', 'info']],
    ['debug', ['error', 'info', 'debug']],
  ] as const)('at the level %s is written for %j', (level, written) => {
    const { lines, logger } = logged(level);
    logger.error('m');
    logger.info('m');
    logger.debug('m');
    expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(written);
  });
});
