/**
 * Longer than any other tool of the fixture takes, so that `test_reconnection` alone, which takes twice as long, loses its
 * stream. In milliseconds.
 */
export const CLOSE_STREAM_AFTER_MS = 500
