import { documentFrame, heartbeatFrame, openingFrame } from './frames.js';

it('a document is one line, whatever stands in it', () => {
  const frame = documentFrame('receipt', { text: 'a\nid: x\r\n\n\ndata: y\u2028', half: '\ud800' }, 'e1.5');
  expect(frame.split('\n')).toEqual([
    'event: receipt',
    'data: {"text":"a\\nid: x\\r\\n\\n\\ndata: y\u2028","half":"\\ud800"}',
    'id: e1.5',
    '',
    '',
  ]);
});

it('has no id where more of the same position follows', () => {
  expect(documentFrame('task', {}, null)).toBe('event: task\ndata: {}\n\n');
});

it('says where it begins and how far it is without an event', () => {
  expect(openingFrame('e1.0')).toBe('retry: 2000\nid: e1.0\n\n');
  expect(heartbeatFrame('e1.7')).toBe(': heartbeat\nid: e1.7\n\n');
});
