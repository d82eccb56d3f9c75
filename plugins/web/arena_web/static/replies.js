// The replies of our server to scripts, as JSON.

/**
 * The JSON with which the server replies; fails, with a sentence for people, where it has none.
 * @template Reply
 * @param {string} address
 * @param {RequestInit} [options]
 * @returns {Promise<Reply>}
 */
export async function fetchJson(address, options) {
  const reply = await fetch(address, options).catch(() => {
    throw new Error("The server cannot be reached. Try again.");
  });
  if (!reply.ok) throw new Error(`The server replied with an error (${reply.status}). Try again in a moment.`);
  return reply.json();
}
