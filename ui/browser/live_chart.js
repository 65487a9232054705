// Keeps the chart of a figure, and gives each change to Plotly.react: nothing is mounted
// anew, and no frame is without a figure. Colors and fonts are those of the page. The
// pictures of a film follow its slider while it is dragged; the server is not asked.

const TEXT = new TextDecoder();
const CONFIG = {
  displaylogo: false,
  displayModeBar: false,
  toImageButtonOptions: { format: "svg" },
};
// A picture at once, without a transition, and without axes, which stay as they are.
const AT_ONCE = { mode: "immediate", transition: { duration: 0 }, frame: { duration: 0, redraw: false } };
// How a slider is reached, before it moves.
const REACHED = ["pointerover", "pointerdown", "focusin", "keydown"];
const charts = new WeakMap();
let plotly;

function load(address) {
  plotly ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => {
      script.remove();
      plotly = undefined; // the next change tries again
      reject(new Error("The script of the charts was not loaded."));
    };
    document.head.append(script);
  });
  return plotly;
}

// What Streamlit gives to a figure of its own theme, in the colors of the page.
function template(element) {
  const style = getComputedStyle(element);
  const read = (name) => style.getPropertyValue(`--st-${name}`).trim();
  const [text, back, font] = [read("text-color"), read("background-color"), read("font")];
  const colors = read("chart-sequential-colors").split(",");
  const scale = colors.map((color, i) => [i / (colors.length - 1), color]);
  return {
    data: {
      bar: [{ error_y: { color: text, thickness: 2 } }],
      heatmap: [{ colorscale: scale }],
      contour: [{ colorscale: scale }],
      scatter: [{ marker: { line: { width: 0 } } }],
    },
    layout: {
      colorway: read("chart-categorical-colors").split(","),
      colorscale: { sequential: scale },
      font: { color: text, family: font, size: 12 },
      paper_bgcolor: back,
      plot_bgcolor: back,
      margin: { pad: 8 },
      legend: { borderwidth: 0 },
      xaxis: { automargin: true, title: { standoff: 20 }, showgrid: false, zeroline: false },
      yaxis: { automargin: true, title: { standoff: 24 } },
      hoverlabel: {
        bgcolor: back,
        bordercolor: read("border-color"),
        font: { color: text, family: font, size: 12 },
      },
      coloraxis: { colorscale: scale },
    },
  };
}

// The slider of a film, and which of its pictures belongs to where its thumb is.
class Slider {
  constructor(moved, wanted) {
    this.wanted = wanted;
    this.changes = new MutationObserver(moved);
    this.find = this.find.bind(this);
    // Streamlit may have put another slider in its place.
    for (const kind of REACHED) document.addEventListener(kind, this.find, true);
  }

  find(event) {
    if (!this.film) return;
    const place = `.st-key-${CSS.escape(this.film.slider)}`;
    if (!this.thumb?.isConnected) {
      this.thumb = document.querySelector(`${place} input[type=range]`);
      if (this.thumb) this.changes.observe(this.thumb, { attributeFilter: ["value"] });
    }
    if (this.film.values.length > 1 || this.film.wanted || !event?.target.closest?.(place)) return;
    this.film.wanted = true;
    this.wanted();
  }

  picture(film) {
    this.film = film;
    this.find();
    const value = Number(this.thumb?.getAttribute("value") ?? film.values[0]);
    if (film.stepped) return Math.min(value, film.values.length - 1);
    const distances = film.values.map((each) => Math.abs(each - value));
    return distances.indexOf(Math.min(...distances));
  }

  end() {
    this.changes.disconnect();
    for (const kind of REACHED) document.removeEventListener(kind, this.find, true);
  }
}

// A picture of a film: the first one with what is other in it.
function changed(first, changes) {
  const picture = structuredClone(first);
  for (const [path, value] of changes) {
    const place = path.slice(0, -1).reduce((part, name) => part[name], picture);
    place[path.at(-1)] = value;
  }
  return picture;
}

// What is said of a picture of a film.
function words({ alt, title }, changes) {
  const own = changes.filter(([path]) => path.length === 1).map(([[name], value]) => [name, value]);
  return { alt, title, ...Object.fromEntries(own) };
}

// Whether a change is a list of numbers of a trace. To draw those alone takes half the time.
const isList = ([part, of], value) => part === "figure" && of === "data" && ArrayBuffer.isView(value);

// The lists of numbers in which the pictures of a film differ, by their traces.
function moving(film) {
  const lists = {};
  for (const [path, value] of film.changes.flat()) {
    if (isList(path, value)) (lists[path[2]] ??= new Set()).add(path[3]);
  }
  return lists;
}

// What else is other in a picture of a film. Where that changes, all of it is drawn.
function rest(changes) {
  return changes.filter(([path, value]) => path[0] === "figure" && !isList(path, value));
}

// What animate is told of a picture: its lists that move, as changed or as they are at first.
function moved(lists, { data }, changes) {
  const own = new Map(changes.filter((each) => isList(...each)).map(([path, value]) => [String(path), value]));
  const pick = ([trace, names]) => Object.fromEntries(
    [...names].map((name) => [name, own.get(`figure,data,${trace},${name}`) ?? data[trace][name]]),
  );
  return { data: Object.entries(lists).map(pick), traces: Object.keys(lists).map(Number) };
}

// Numbers that are sent as bytes. Plotly reads them, too, but not anew for a moving picture.
function decoded(_, value) {
  if (!value?.bdata || value.shape) return value;
  const { buffer } = Uint8Array.from(atob(value.bdata), (letter) => letter.charCodeAt(0));
  return value.dtype === "f4" ? new Float32Array(buffer) : new Float64Array(buffer);
}

// What is said beside a film. React keeps the text that the server writes again, so that
// only its letters are changed here; and the number in a box that nobody types in.
function write(texts, at) {
  for (const [key, said] of Object.entries(texts)) {
    const place = `.st-key-${CSS.escape(key)} :is([data-testid=stMetricValue], strong, input)`;
    const found = document.querySelector(place);
    if (found instanceof HTMLInputElement) {
      const differs = Number(found.value) !== said[at];
      if (differs && found !== document.activeElement) found.value = said[at];
      continue;
    }
    const text = found && document.createTreeWalker(found, NodeFilter.SHOW_TEXT).nextNode();
    if (text && text.nodeValue !== said[at]) text.nodeValue = said[at];
  }
}

class Chart {
  constructor(root) {
    this.root = root;
    this.title = document.createElement("p");
    this.title.className = "live-title";
    this.title.hidden = true;
    this.box = document.createElement("div");
    this.box.className = "live-chart";
    this.box.setAttribute("role", "figure");
    root.append(this.title, this.box);
    this.sliders = [];
    this.active = 0;
    // Also where a tab of the page is opened in which the figure is: it has a width then.
    this.sizes = new ResizeObserver(() => this.draw());
    this.sizes.observe(this.box);
  }

  show(text, picked, wanted) {
    this.wanted = wanted;
    if (text !== this.text) {
      this.text = text;
      this.scenes = JSON.parse(text, decoded);
      this.scenes.forEach(({ film }, i) => {
        this.sliders[i] ??= new Slider(() => this.turn(i), () => this.wanted());
        this.sliders[i].film = film;
        this.sliders[i].find();
      });
      this.state = this.measured = this.margin = this.frame = undefined;
    }
    this.picked = picked;
    this.draw();
  }

  // The film or the picture that is shown: of several films, that of the slider that moved last.
  get sent() {
    return this.scenes[this.active] ?? this.scenes[0];
  }

  turn(i) {
    this.active = i;
    this.draw();
  }

  // One after the other; what was asked for meanwhile is drawn once, as it is last.
  async draw() {
    this.asked = true;
    if (this.drawing) return;
    this.drawing = true;
    try {
      while (this.asked) {
        this.asked = false;
        await this.update();
      }
    } finally {
      this.drawing = false; // after an error, too: the next change is drawn
    }
  }

  async update() {
    const width = this.box.clientWidth;
    if (!width || !this.root.isConnected) return;
    const sent = this.sent;
    const { film, script, picture: first } = sent;
    const scene = this.scenes.indexOf(sent);
    const look = template(this.root);
    const at = film ? this.sliders[scene].picture(film) : 0;
    const state = JSON.stringify([width, look, scene, at]);
    if (state === this.state) return;
    const changes = film ? film.changes[at] : [];
    const { alt, title } = words(first, changes);
    this.box.setAttribute("aria-label", alt);
    try {
      const { animate, react } = await load(new URL(script, import.meta.url));
      if (this.failed) this.box.replaceChildren();
      this.failed = false;
      const height = film ? film.height - this.head(title, width) : first.figure.layout.height;
      const frame = JSON.stringify([width, look, scene, rest(changes)]);
      const moves = film && this.margin && this.frame === frame;
      if (film) sent.moving ??= moving(film);
      if (moves) await animate(this.box, moved(sent.moving, first.figure, changes), AT_ONCE);
      else {
        const { data, layout } = changed(first, changes).figure;
        const margin = (film && this.margin) || layout.margin;
        await react(this.box, data, { ...layout, template: look, width, height, margin }, CONFIG);
      }
      if (sent === this.sent) this.frame = frame;
      if (sent === this.sent) this.state = state; // nothing else was sent meanwhile
      if (film) this.settle(film.texts, at);
      else this.title.hidden = true;
      this.finish(width, height);
    } catch (error) {
      console.error(error);
      this.fail(alt);
    }
  }

  // The title of a picture of a film; returns its height, which is that of the longest.
  head(title, width) {
    if (this.measured !== width) {
      this.margin = undefined;
      const titles = this.scenes.flatMap(({ film, picture }) =>
        film.changes.map((changes) => words(picture, changes).title));
      this.title.hidden = false;
      this.title.style.minHeight = "";
      this.title.textContent = titles.reduce((one, other) => (other.length > one.length ? other : one));
      this.lines = this.title.offsetHeight;
      this.title.style.minHeight = `${this.lines}px`;
      this.measured = width;
    }
    this.title.textContent = title;
    return this.lines;
  }

  // Margins stay as the first picture needs them: to measure them is to draw twice.
  settle(texts, at) {
    const { l, r, t, b } = this.box._fullLayout._size;
    this.margin ??= { l, r, t, b, autoexpand: false };
    write(texts, at);
  }

  finish(width, height) {
    for (const drawn of this.box.querySelectorAll(".main-svg")) {
      drawn.setAttribute("viewBox", `0 0 ${width} ${height}`); // on paper it becomes smaller
    }
    if (!this.sent.picks || this.heard) return;
    this.heard = true;
    this.box.on("plotly_click", ({ points }) => this.picked(points[0].customdata));
  }

  // Words instead of a figure that cannot be drawn.
  fail(alt) {
    window.Plotly?.purge(this.box);
    this.state = this.heard = this.frame = undefined;
    this.failed = true;
    this.box.textContent = alt;
  }

  end() {
    for (const slider of this.sliders) slider.end();
    this.sizes.disconnect();
    window.Plotly?.purge(this.box);
    this.title.remove();
    this.box.remove();
    charts.delete(this.root);
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  let chart = charts.get(parentElement);
  if (!chart) charts.set(parentElement, (chart = new Chart(parentElement)));
  chart.show(
    TEXT.decode(data),
    (about) => setTriggerValue("picked", about ?? null),
    () => setTriggerValue("wanted", true),
  );
  // Streamlit also calls this for a call that a later one has overtaken.
  return () => {
    if (!parentElement.isConnected) chart.end();
  };
}
