/**
 * The UTF-8 bytes that JSON text takes in an event. There it stands in a JSON string (design §4, Events: "after escaping"), so
 * each quote and each backslash counts twice. JSON text has no raw control characters in its strings, and outside of them line
 * ends and tabs, which count twice likewise.
 */
export function escapedBytes(json: string): number {
  let bytes = Buffer.byteLength(json);
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === 0x22 || code === 0x5c || code < 0x20) bytes++;
  }
  return bytes;
}
