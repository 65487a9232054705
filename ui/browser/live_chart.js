// Keeps the chart of a figure, and gives each change to Plotly.react: nothing is mounted
// anew, and no frame is without a figure. Colors and fonts are those of the page.

const TEXT = new TextDecoder();
const CONFIG = {
  displaylogo: false,
  displayModeBar: false,
  toImageButtonOptions: { format: "svg" },
};
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

class Chart {
  constructor(root) {
    this.root = root;
    this.box = document.createElement("div");
    this.box.className = "live-chart";
    this.box.setAttribute("role", "figure");
    root.append(this.box);
    // Also where a tab of the page is opened in which the figure is: it has a width then.
    this.sizes = new ResizeObserver(() => this.draw());
    this.sizes.observe(this.box);
  }

  show(text, picked) {
    this.text = text;
    this.picked = picked;
    this.draw();
  }

  // One after the other; what was asked for meanwhile is drawn once, as it is last.
  async draw() {
    this.asked = true;
    if (this.drawing) return;
    this.drawing = true;
    while (this.asked) {
      this.asked = false;
      await this.update();
    }
    this.drawing = false;
  }

  async update() {
    const width = this.box.clientWidth;
    if (!width || !this.root.isConnected) return;
    const look = template(this.root);
    const state = JSON.stringify([width, look]) + this.text;
    if (state === this.state) return;
    const { alt, script, figure, picks } = JSON.parse(this.text);
    this.box.setAttribute("aria-label", alt);
    try {
      const { react } = await load(new URL(script, import.meta.url));
      const layout = { ...figure.layout, template: look, width };
      await react(this.box, figure.data, layout, CONFIG);
      this.state = state;
      this.finish(width, layout.height, picks);
    } catch (error) {
      console.error(error);
      this.fail(alt);
    }
  }

  finish(width, height, picks) {
    for (const drawn of this.box.querySelectorAll(".main-svg")) {
      drawn.setAttribute("viewBox", `0 0 ${width} ${height}`); // on paper it becomes smaller
    }
    if (!picks || this.heard) return;
    this.heard = true;
    this.box.on("plotly_click", ({ points }) => this.picked(points[0].customdata));
  }

  // Words instead of a figure that cannot be drawn.
  fail(alt) {
    window.Plotly?.purge(this.box);
    this.state = this.heard = undefined;
    this.box.textContent = alt;
  }

  end() {
    this.sizes.disconnect();
    window.Plotly?.purge(this.box);
    this.box.remove();
    charts.delete(this.root);
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  let chart = charts.get(parentElement);
  if (!chart) charts.set(parentElement, (chart = new Chart(parentElement)));
  chart.show(TEXT.decode(data), (about) => setTriggerValue("picked", about ?? null));
  // Streamlit also calls this for a call that a later one has overtaken.
  return () => {
    if (!parentElement.isConnected) chart.end();
  };
}
