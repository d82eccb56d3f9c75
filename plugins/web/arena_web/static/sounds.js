// Sounds of a seat, for who asks for them: a card that is laid, one's turn, a match that is won, tied or lost.
//
//   playSound("card");   // or "turn", "won", "tied", "lost"
//
// They are made here, so that there is nothing to load. Nothing sounds before the browser allows it, nor late.

/** @typedef {"card" | "turn" | "won" | "tied" | "lost"} Sound */

const VOLUME = 0.12;
/** @type {Record<string, number[]>} */
const NOTES = { turn: [659, 880], won: [523, 659, 784, 1047], tied: [494, 440, 494], lost: [392, 330, 262] }; // hertz
const STEP_SECONDS = 0.11; // from one note to the next
const RING_SECONDS = 0.25; // for which a note is heard
const TAP_SECONDS = 0.06; // of noise, for a card
const context = new AudioContext(); // this script is loaded once a sound is wanted

// Loud at once, then fading away
/** @type {(start: number, seconds: number, volume: number) => AudioNode} */
const fade = (start, seconds, volume) => {
  const gain = context.createGain();
  gain.gain.setValueAtTime(volume, start);
  gain.gain.exponentialRampToValueAtTime(0.001, start + seconds);
  gain.connect(context.destination);
  return gain;
};

/** @type {(frequency: number, start: number) => void} */
const playNote = (frequency, start) => {
  const note = context.createOscillator();
  note.type = "triangle";
  note.frequency.value = frequency;
  note.connect(fade(start, RING_SECONDS, VOLUME));
  note.start(start);
  note.stop(start + RING_SECONDS);
};

/** @type {(start: number) => void} */
const playTap = (start) => {
  const noise = context.createBuffer(1, Math.ceil(TAP_SECONDS * context.sampleRate), context.sampleRate);
  const samples = noise.getChannelData(0);
  samples.forEach((_, at) => {
    samples[at] = 2 * Math.random() - 1;
  });
  const tap = context.createBufferSource(), wood = context.createBiquadFilter();
  tap.buffer = noise;
  wood.type = "bandpass";
  wood.frequency.value = 1100;
  tap.connect(wood).connect(fade(start, TAP_SECONDS, 3 * VOLUME));
  tap.start(start);
};

/** @param {string} name */
const play = (name) => {
  const now = context.currentTime;
  if (name === "card") playTap(now);
  else NOTES[name].forEach((frequency, at) => playNote(frequency, now + at * STEP_SECONDS));
};

/**
 * Play a sound, unless the browser allows none.
 * @param {Sound} name
 */
export function playSound(name) {
  if (context.state === "running") play(name);
  else if (navigator.userActivation?.isActive) context.resume().then(() => play(name), () => {}); // else it would sound late
}
