// What the page asks of its server: relative addresses only, so that the secret stays in one place.

const tabName = Array.from(crypto.getRandomValues(new Uint8Array(8)), b => b.toString(16)).join("");

async function ask(path, query) {
  const words = new URLSearchParams(query || {}).toString();
  const answer = await fetch(words ? `${path}?${words}` : path);
  if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).error || `status ${answer.status}`);
  return answer;
}

async function post(path, body) {
  const answer = await fetch(path, {method: "POST", headers: {"Content-Type": "application/json"},
    body: JSON.stringify(body || {})});
  const found = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(found.error || `status ${answer.status}`);
  return found;
}

// The largest amplitude of each trace, and the traces over it.
async function askSamples(record, traces, low, high) {
  const query = {record};
  if (low > 0) query.low = low;
  if (high > 0) query.high = high;
  const all = new Float32Array(await (await ask("samples", query)).arrayBuffer());
  const samples = (all.length - traces) / traces;
  return {most: all.subarray(0, traces),
    trace: k => all.subarray(traces + k * samples, traces + (k + 1) * samples)};
}
